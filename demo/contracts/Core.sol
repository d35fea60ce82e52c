// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

struct CoreConfiguration {
    bytes32 streamId;
    uint64 genesisTimestamp;
    uint64 roundDuration;
    uint256 maxWorkPerRound;
    uint64 maxRoundsPerBatch;
    uint256 workPerBlock;
    address guardian;
    address reporter;
}

/// Settled work of one stream: every batch continues the one before it.
contract Core is Initializable, Pausable {
    event WorkRecorded(uint64 indexed round, uint256 workUnits, uint256 cumulativeWork);
    event BatchSettled(
        bytes32 indexed digest,
        address indexed reporter,
        uint64 indexed settledThroughRound,
        uint256 nonce,
        uint64 previousSettledThroughRound,
        uint64 activeRoundCount,
        uint256 cumulativeWork,
        uint256 blockHeight
    );
    event ReporterChanged(address indexed previousReporter, address indexed newReporter);
    event GuardianChanged(address indexed previousGuardian, address indexed newGuardian);

    error NotGuardian();
    error NotReporter();
    error InvalidBatch();

    bytes32 public streamId;
    uint64 public genesisTimestamp;
    uint64 public roundDuration;
    uint64 public maxRoundsPerBatch;
    uint64 public settledThroughRound;
    uint256 public maxWorkPerRound;
    uint256 public workPerBlock;
    uint256 public cumulativeWork;
    uint256 public authorizationNonce;
    uint256 public recordedWork;
    address public guardian;
    address public reporter;

    modifier onlyGuardian() {
        if (msg.sender != guardian) revert NotGuardian();
        _;
    }

    modifier onlyReporter() {
        if (msg.sender != reporter) revert NotReporter();
        _;
    }

    constructor() {
        _disableInitializers();
    }

    function initialize(CoreConfiguration calldata configuration) external initializer {
        streamId = configuration.streamId;
        genesisTimestamp = configuration.genesisTimestamp;
        roundDuration = configuration.roundDuration;
        maxWorkPerRound = configuration.maxWorkPerRound;
        maxRoundsPerBatch = configuration.maxRoundsPerBatch;
        workPerBlock = configuration.workPerBlock;
        guardian = configuration.guardian;
        reporter = configuration.reporter;
        emit GuardianChanged(address(0), configuration.guardian);
        emit ReporterChanged(address(0), configuration.reporter);
    }

    /// Work as it is measured; it may run ahead of what is settled.
    function recordWork(uint64 firstRound, uint256[] calldata workUnits) external onlyReporter whenNotPaused {
        uint256 recorded = recordedWork;
        for (uint256 i = 0; i < workUnits.length; i++) {
            recorded += workUnits[i];
            emit WorkRecorded(firstRound + uint64(i), workUnits[i], recorded);
        }
        recordedWork = recorded;
    }

    function settle(bytes32 digest, uint64 throughRound, uint64 activeRoundCount, uint256 workUnits)
        external
        onlyReporter
        whenNotPaused
    {
        uint64 previous = settledThroughRound;
        if (throughRound <= previous || activeRoundCount > throughRound - previous) revert InvalidBatch();
        settledThroughRound = throughRound;
        cumulativeWork += workUnits;
        emit BatchSettled(
            digest, msg.sender, throughRound, authorizationNonce++, previous, activeRoundCount, cumulativeWork, blockHeight()
        );
    }

    function setReporter(address newReporter) external onlyGuardian {
        emit ReporterChanged(reporter, newReporter);
        reporter = newReporter;
    }

    function setGuardian(address newGuardian) external onlyGuardian {
        emit GuardianChanged(guardian, newGuardian);
        guardian = newGuardian;
    }

    function pause() external onlyGuardian {
        _pause();
    }

    function unpause() external onlyGuardian {
        _unpause();
    }

    function blockHeight() public view returns (uint256) {
        return cumulativeWork / workPerBlock;
    }

    function currentWork() external view returns (uint256) {
        return cumulativeWork % workPerBlock;
    }

    function codeVersion() external pure virtual returns (string memory) {
        return "1.0.0";
    }

    function storageLayoutDigest() external pure virtual returns (bytes32) {
        return keccak256("noonmark.test.core.layout.1");
    }
}

/// The upgrade: one more initialisation, one more field.
contract CoreV2 is Core {
    uint256 public migratedAt;

    function migrate() external reinitializer(2) {
        migratedAt = block.timestamp;
    }

    function codeVersion() external pure override returns (string memory) {
        return "2.0.0";
    }

    function storageLayoutDigest() external pure override returns (bytes32) {
        return keccak256("noonmark.test.core.layout.2");
    }
}
