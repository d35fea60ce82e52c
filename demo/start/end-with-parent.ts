/**
 * Preloaded into the demo's commands: stops the command when the IPC channel closes, that is, if the demo is killed.
 */
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
