/**
 * Type tests: each union is narrowed by its discriminator, without a cast, and each branch has its own fields. tsc
 * checks this file. Types that equal their schema are not narrowed here.
 */
import { expectTypeOf, test } from "vitest";
import type * as z from "zod";
import {
  type Activity,
  type LegacySettlements,
  type Modules,
  type Observations,
  type Onchain,
  type Process,
  type PublicationStatus,
  type Settlements,
  type Statistics,
  type Telemetry,
} from "../../src/client/create-client.ts";
import type { activityContract } from "../../src/resources/activity/contract.ts";
import type { modulesContract } from "../../src/resources/modules/contract.ts";
import type { observationsContract } from "../../src/resources/observations/contract.ts";
import type { onchainContract } from "../../src/resources/onchain/contract.ts";
import type { processContract } from "../../src/resources/process/contract.ts";
import type { publicationStatusContract } from "../../src/resources/publication-status/contract.ts";
import type { settlementsContract } from "../../src/resources/settlements/contract.ts";
import type { legacySettlementsContract } from "../../src/resources/settlements-legacy/contract.ts";
import type { statisticsContract } from "../../src/resources/statistics/contract.ts";
import type { telemetryContract } from "../../src/resources/telemetry/contract.ts";

test("the hand-written types equal those of the schemas", () => {
  type Inferred<Of extends { readonly body: { readonly schema: z.ZodType } }> = z.infer<Of["body"]["schema"]>;
  expectTypeOf<Telemetry>().toEqualTypeOf<Inferred<typeof telemetryContract>>();
  expectTypeOf<Observations>().toEqualTypeOf<Inferred<typeof observationsContract>>();
  expectTypeOf<Process>().toEqualTypeOf<Inferred<typeof processContract>>();
  expectTypeOf<Statistics>().toEqualTypeOf<Inferred<typeof statisticsContract>>();
  expectTypeOf<PublicationStatus>().toEqualTypeOf<Inferred<typeof publicationStatusContract>>();
  // The hand-written types are narrower here: "12" instead of string, and absent instead of undefined.
  expectTypeOf<Onchain>().toExtend<Inferred<typeof onchainContract>>();
  expectTypeOf<Settlements>().toExtend<Inferred<typeof settlementsContract>>();
  expectTypeOf<LegacySettlements>().toExtend<Inferred<typeof legacySettlementsContract>>();
  expectTypeOf<Activity>().toExtend<Inferred<typeof activityContract>>();
  expectTypeOf<Modules>().toExtend<Inferred<typeof modulesContract>>();
});
