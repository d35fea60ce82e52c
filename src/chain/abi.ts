/** The interfaces of the deployed contracts that the program reads (docs/spec/chain.md#abi). */
import { parseAbi } from "viem";

export const FACTORY_ABI = parseAbi([
  "event CoreDeployed(address indexed core, address indexed proxyAdmin, address implementation, bytes32 streamId)",
]);

export const CORE_ABI = parseAbi([
  "event Initialized(uint64 version)",
  "event WorkRecorded(uint64 indexed round, uint256 workUnits, uint256 cumulativeWork)",
  "event BatchSettled(bytes32 indexed digest, address indexed reporter, uint64 indexed settledThroughRound, uint256 nonce, uint64 previousSettledThroughRound, uint64 activeRoundCount, uint256 cumulativeWork, uint256 blockHeight)",
  "event ReporterChanged(address indexed previousReporter, address indexed newReporter)",
  "event GuardianChanged(address indexed previousGuardian, address indexed newGuardian)",
  "event Paused(address account)",
  "event Unpaused(address account)",
  "event Upgraded(address indexed implementation)",
  "event AdminChanged(address previousAdmin, address newAdmin)",
  "function streamId() view returns (bytes32)",
  "function genesisTimestamp() view returns (uint64)",
  "function roundDuration() view returns (uint64)",
  "function maxWorkPerRound() view returns (uint256)",
  "function maxRoundsPerBatch() view returns (uint64)",
  "function workPerBlock() view returns (uint256)",
  "function guardian() view returns (address)",
  "function reporter() view returns (address)",
  "function settledThroughRound() view returns (uint64)",
  "function cumulativeWork() view returns (uint256)",
  "function blockHeight() view returns (uint256)",
  "function currentWork() view returns (uint256)",
  "function authorizationNonce() view returns (uint256)",
  "function paused() view returns (bool)",
  "function codeVersion() view returns (string)",
  "function storageLayoutDigest() view returns (bytes32)",
]);

export const PROXY_ADMIN_ABI = parseAbi([
  "event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
  "function owner() view returns (address)",
  // Only decoded from call data, never called.
  "function upgradeAndCall(address proxy, address implementation, bytes data) payable",
]);

export const TIMELOCK_ABI = parseAbi([
  "event CallScheduled(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data, bytes32 predecessor, uint256 delay)",
  "event CallExecuted(bytes32 indexed id, uint256 indexed index, address target, uint256 value, bytes data)",
  "event Cancelled(bytes32 indexed id)",
  "function hasRole(bytes32 role, address account) view returns (bool)",
]);

export const MINING_ABI = parseAbi([
  "event RoundFunded(uint64 indexed round, uint256 amount)",
  "event RoundReleased(uint64 indexed round, uint256 amount)",
  "event RewardsClaimed(address indexed player, uint64 indexed throughRound, uint256 amount)",
  "event RewardWeightsScheduled(uint64 indexed activationRound, uint256 multiplierBps)",
  "function core() view returns (address)",
  "function token() view returns (address)",
  "function collection() view returns (address)",
  "function mintedThroughRound() view returns (uint64)",
  "function baselineRewardPerBlock() view returns (uint256)",
  "function rewardWeightActivationRound() view returns (uint64)",
  "function implementationVersion() view returns (string)",
  "function storageLayoutDigest() view returns (bytes32)",
]);

export const TOKEN_ABI = parseAbi([
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
]);

export const COLLECTION_ABI = parseAbi([
  "event UnitMinted(address indexed player, uint256 indexed unitId, uint32 unitType)",
  "event UnitsMerged(address indexed player, uint256 indexed resultUnitId, uint256[] consumedUnitIds, uint32 resultUnitType)",
]);
