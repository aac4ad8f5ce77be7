/** The milliseconds that this thread has computed so far. Unlike time, they do not pass faster while other programs keep the machine busy. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
