/**
 * Messages to systemd about a publisher that is its service (Type=notify, packaging/systemd): its start, its status, and
 * pings while ticks finish. Node opens no datagram sockets, so systemd-notify sends them. It is on every machine with
 * systemd.
 */
import { spawn } from "node:child_process";

export interface ServiceManager {
  /** It runs: `status` is what `systemctl status` shows. */
  began(status: string): void;
  /** No tick hangs. This is sent in an outage too, because a restart would repair neither store nor disk. */
  rested(): void;
  /** It was asked to end, and finishes the running work. */
  ending(): void;
}

export interface NotifyOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly pid: number;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** Sends `VARIABLE=value`, each. */
  readonly notify: (variables: readonly string[]) => void;
}

const SILENT: ServiceManager = { began() {}, rested() {}, ending() {} };
/** Pings per watchdog interval, so that one lost ping does not cause a restart. */
const WORDS_IN_ITS_TIME = 4;

/** Silent without a service manager. */
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

/** `failed` gets the reason if nothing can be sent. */
export function systemdNotify(failed: (error: Error) => void): (variables: readonly string[]) => void {
  return (variables) => {
    spawn("systemd-notify", [...variables], { stdio: "ignore" })
      .on("error", failed)
      .unref();
  };
}
