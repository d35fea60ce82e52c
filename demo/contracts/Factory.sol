// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {TransparentUpgradeableProxy} from "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";

/// Deploys Cores behind transparent proxies whose ProxyAdmin belongs to the operator's timelock.
contract Factory {
    event CoreDeployed(address indexed core, address indexed proxyAdmin, address implementation, bytes32 streamId);

    function deployCore(address implementation, address owner, bytes calldata initialization, bytes32 streamId)
        external
        returns (address core)
    {
        core = address(new TransparentUpgradeableProxy(implementation, owner, initialization));
        emit CoreDeployed(core, firstContractOf(core), implementation, streamId);
    }

    /// The proxy's constructor creates its ProxyAdmin with nonce 1.
    function firstContractOf(address creator) private pure returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"d694", creator, hex"01")))));
    }
}
