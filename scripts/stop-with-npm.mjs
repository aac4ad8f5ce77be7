// Loaded with `--import` by the scripts that run until they are stopped. npm passes SIGTERM to the shell in which it runs a
// script, and some shells (dash, the sh of Debian) end without passing it on: Node would go on without either.
const CHECK_EVERY_MS = 250;

// On Windows the number of the parent never changes, and nothing sends SIGTERM.
if (process.env.npm_lifecycle_event !== undefined && process.platform !== 'win32') {
  const parent = process.ppid;
  const checks = setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, CHECK_EVERY_MS).unref();
  // Ctrl-C reaches Node and the shell: the end of the shell must not look like a second signal.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      // With a listener, it is a request to read the settings again.
      if (signal === 'SIGHUP' && process.listenerCount(signal) > 0) return;
      clearInterval(checks);
      // With no other listener the signal would have ended the process, if this one had not caught it.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  }
}
