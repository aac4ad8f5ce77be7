// Loaded before the bot when the sandbox runs it. A sandbox that is killed cannot stop what it has started: without this
// the bot would go on alone, looking for a Discord that is no more.
const PATIENCE_MS = 5_000;

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), PATIENCE_MS).unref();
  process.kill(process.pid, 'SIGTERM');
});
// Listening keeps a process alive by itself, and this one ends when it has nothing left to do.
process.channel?.unref();
