/** Loaded into the demo's commands before anything else: if the demo is killed, its channel closes, and they end. */
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
