// Loaded before the bot when the sandbox runs it. A killed sandbox cannot stop the bot, which would then keep
// reconnecting to a Discord that no longer exists.
const STOP_LIMIT_MS = 5_000;

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
  process.kill(process.pid, 'SIGTERM');
});
// The listener must not keep the process alive.
process.channel?.unref();
