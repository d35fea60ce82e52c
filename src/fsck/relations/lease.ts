/** The lease against every object: nobody has put under an epoch that the lease has not reached. */
import { STANDBY_KEY, STATUS_KEY } from "../../http/keys.ts";
import type { Facts } from "../facts.ts";
import type { Finding } from "../rules.ts";

export function* leaseFindings({ keys, lease, writers }: Facts): Generator<Finding> {
  const others = [...keys].filter((key) => key !== STANDBY_KEY && key !== STATUS_KEY);
  if (!keys.has(STATUS_KEY) && others.length > 0) {
    yield { rule: "lease-missing", key: STATUS_KEY, says: `there is no lease over ${others.length} objects` };
  }
  if (lease === undefined) return;
  for (const [key, { epoch }] of writers) {
    if (epoch > lease.epoch) yield { rule: "epoch", key, says: `its epoch is ${epoch}, the lease's ${lease.epoch}` };
  }
}
