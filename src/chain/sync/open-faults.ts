/** What the passes have found wrong and not settled, kept from pass to pass. */
import type { EconomyFinding } from "../checks/economy-finding.ts";
import { confirms, type UnconfirmedFault } from "../checks/unconfirmed-fault.ts";

export class OpenFaults {
  #fault: UnconfirmedFault | undefined;
  /** Two passes have agreed on a funding above the cursor: the logs are read again from its block until one does without. */
  #fundingRepair: bigint | undefined;

  get fault(): UnconfirmedFault | undefined {
    return this.#fault;
  }

  get isFundingConfirmed(): boolean {
    return this.#fundingRepair !== undefined;
  }

  /** Where the next pass reads the logs again from. */
  get repairFrom(): bigint | undefined {
    return this.#fault?.repairFrom ?? this.#fundingRepair;
  }

  /** A pass has found a fault: whether it confirms the one that the pass before found. */
  confirm(fault: UnconfirmedFault, sameNodeWillDo: boolean): boolean {
    const isConfirmed = confirms(this.#fault, fault, sameNodeWillDo);
    this.#fault = fault;
    return isConfirmed;
  }

  /** A good pass; `economy` is what it found, where it read anything. */
  goodPass(economy?: EconomyFinding): void {
    this.#fault = undefined;
    if (economy !== undefined) this.#fundingRepair = economy.kind === "mismatch" ? economy.repairFrom : undefined;
  }

  /** The file is another one than the passes have written. */
  forget(): void {
    this.#fault = undefined;
    this.#fundingRepair = undefined;
  }
}
