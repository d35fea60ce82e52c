// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

contract Token is ERC20 {
    address public immutable minter;

    constructor(string memory name, string memory symbol, address minter_) ERC20(name, symbol) {
        minter = minter_;
    }

    function mint(address account, uint256 amount) external {
        require(msg.sender == minter, "not the minter");
        _mint(account, amount);
    }
}

contract TokenFactory {
    event TokenCreated(address token);

    function create(string calldata name, string calldata symbol, address minter) external returns (address token) {
        token = address(new Token(name, symbol, minter));
        emit TokenCreated(token);
    }
}

contract Collection is ERC721 {
    event UnitMinted(address indexed player, uint256 indexed unitId, uint32 unitType);
    event UnitsMerged(
        address indexed player, uint256 indexed resultUnitId, uint256[] consumedUnitIds, uint32 resultUnitType
    );

    uint256 public lastUnitId;

    constructor() ERC721("Noonmark Units", "UNIT") {}

    function mintUnit(address player, uint32 unitType) external {
        _mint(player, ++lastUnitId);
        emit UnitMinted(player, lastUnitId, unitType);
    }

    function mergeUnits(address player, uint256[] calldata unitIds, uint32 resultUnitType) external {
        for (uint256 i = 0; i < unitIds.length; i++) {
            require(ownerOf(unitIds[i]) == player, "not the player's unit");
            _burn(unitIds[i]);
        }
        _mint(player, ++lastUnitId);
        emit UnitsMerged(player, lastUnitId, unitIds, resultUnitType);
    }
}

/// The reward contract, behind a proxy or on its own: funding and its cursor move in one transaction.
contract Mining is Initializable {
    event RoundFunded(uint64 indexed round, uint256 amount);
    event RoundReleased(uint64 indexed round, uint256 amount);
    event RewardsClaimed(address indexed player, uint64 indexed throughRound, uint256 amount);
    event RewardWeightsScheduled(uint64 indexed activationRound, uint256 multiplierBps);

    address public core;
    address public token;
    address public collection;
    uint64 public mintedThroughRound;
    uint64 public rewardWeightActivationRound;
    uint256 public baselineRewardPerBlock;

    function initialize(address core_, address collection_, uint256 baseline) external initializer {
        core = core_;
        collection = collection_;
        baselineRewardPerBlock = baseline;
    }

    /// Once: the token needs this contract's address to name its minter.
    function setToken(address token_) external {
        require(token == address(0), "token is set");
        token = token_;
    }

    function fund(uint64 throughRound, uint64[] calldata rounds, uint256[] calldata amounts) external {
        require(throughRound >= mintedThroughRound, "cursor falls");
        mintedThroughRound = throughRound;
        for (uint256 i = 0; i < rounds.length; i++) {
            if (amounts[i] > 0) Token(token).mint(address(this), amounts[i]);
            emit RoundFunded(rounds[i], amounts[i]);
        }
    }

    function release(uint64 round, uint256 amount) external {
        emit RoundReleased(round, amount);
    }

    function claim(address player, uint64 throughRound, uint256 amount) external {
        Token(token).transfer(player, amount);
        emit RewardsClaimed(player, throughRound, amount);
    }

    function scheduleRewardWeights(uint64 activationRound, uint256 multiplierBps) external {
        rewardWeightActivationRound = activationRound;
        emit RewardWeightsScheduled(activationRound, multiplierBps);
    }

    function implementationVersion() external pure returns (string memory) {
        return "1.0.0";
    }

    function storageLayoutDigest() external pure returns (bytes32) {
        return keccak256("noonmark.test.mining.layout.1");
    }
}
