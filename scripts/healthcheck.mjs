// The health check of the container image: queries the bot in the same container, prints the response, and fails unless the bot reports that it is ready.
const [path = '/readyz'] = process.argv.slice(2);
// Longer than the four seconds that the bot waits for the gateway.
const TIME_LIMIT_MS = 6_000;

try {
  const address = `http://127.0.0.1:${process.env.HTTP_PORT}${path}`;
  const response = await fetch(address, { signal: AbortSignal.timeout(TIME_LIMIT_MS) });
  console.log(await response.text());
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.log(`The bot does not answer: ${error.cause?.code ?? error.name}`);
  process.exitCode = 1;
}
