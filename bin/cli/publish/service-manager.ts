/**
 * What systemd hears of a publisher that is its service (Type=notify, packaging/systemd): that it has begun, what it does,
 * and that turns end. Node opens no datagram sockets: systemd-notify, which is where systemd is, says it.
 */
import { spawn } from "node:child_process";

export interface ServiceManager {
  /** It runs: `status` is what `systemctl status` shows. */
  began(status: string): void;
  /** No turn hangs; so in an outage too, for another start would mend neither store nor disk. */
  rested(): void;
  /** It was asked to end, and finishes what is under way. */
  ending(): void;
}

export interface NotifyOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly pid: number;
  /** Milliseconds that never go back. */
  readonly monotonic: () => number;
  /** Says `VARIABLE=value`, each. */
  readonly notify: (said: readonly string[]) => void;
}

const SILENT: ServiceManager = { began() {}, rested() {}, ending() {} };
/** Of the watchdog's time, so that a word that is late or lost ends nothing. */
const WORDS_IN_ITS_TIME = 4;

/** Silent where nobody listens. */
export function serviceManager({ environment, pid, monotonic, notify }: NotifyOptions): ServiceManager {
  if ((environment.NOTIFY_SOCKET ?? "") === "") return SILENT;
  const isOurs = (environment.WATCHDOG_PID ?? String(pid)) === String(pid);
  const microseconds = isOurs ? Number(environment.WATCHDOG_USEC ?? Number.NaN) : Number.NaN;
  const interval = microseconds / 1000 / WORDS_IN_ITS_TIME;
  let fed = Number.NEGATIVE_INFINITY;
  return {
    began: (status) => notify(["READY=1", `STATUS=${status}`]),
    rested: () => {
      if (!(monotonic() - fed >= interval)) return;
      fed = monotonic();
      notify(["WATCHDOG=1"]);
    },
    ending: () => notify(["STOPPING=1"]),
  };
}

/** `failed` hears why nothing can be said. */
export function systemdNotify(failed: (error: Error) => void): (said: readonly string[]) => void {
  return (said) => {
    spawn("systemd-notify", [...said], { stdio: "ignore" })
      .on("error", failed)
      .unref();
  };
}
