/**
 * Sends systemd the messages of a publisher that is its service (Type=notify, packaging/systemd): start, status, and
 * pings while ticks finish. It uses systemd-notify, because Node has no datagram sockets; every machine with systemd
 * has it.
 */
import { spawn } from "node:child_process";

export interface ServiceManager {
  /** The publisher runs; `systemctl status` shows `status`. */
  began(status: string): void;
  /** No tick hangs. Also sent during an outage, because a restart would repair neither store nor disk. */
  rested(): void;
  /** The publisher is stopping, and finishes the work in progress. */
  ending(): void;
}

export interface NotifyOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly pid: number;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** Sends several `VARIABLE=value`. */
  readonly notify: (variables: readonly string[]) => void;
}

const SILENT: ServiceManager = { began() {}, rested() {}, ending() {} };
/** Pings per watchdog interval, so that one lost ping does not cause a restart. */
const PINGS_PER_INTERVAL = 4;

/** Returns a manager that sends nothing if there is no service manager. */
export function serviceManager({ environment, pid, monotonic, notify }: NotifyOptions): ServiceManager {
  if ((environment.NOTIFY_SOCKET ?? "") === "") return SILENT;
  const isOurs = (environment.WATCHDOG_PID ?? String(pid)) === String(pid);
  const microseconds = isOurs ? Number(environment.WATCHDOG_USEC ?? Number.NaN) : Number.NaN;
  const interval = microseconds / 1000 / PINGS_PER_INTERVAL;
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

/** Sends by systemd-notify. Calls `failed` if nothing can be sent. */
export function systemdNotify(failed: (error: Error) => void): (variables: readonly string[]) => void {
  return (variables) => {
    spawn("systemd-notify", [...variables], { stdio: "ignore" })
      .on("error", failed)
      .unref();
  };
}
