import { ConfigError, readConfig } from './config.ts';

/** sysexits.h: the configuration is at fault, not the program, so a supervisor has no reason to start it again. */
const EX_CONFIG = 78;

function start(): number {
  try {
    readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.problems.map(({ variable, problem }) => `  ${variable} ${problem}\n`);
    process.stderr.write(`Atelier cannot start with these settings (.env.example explains each):\n${lines.join('')}`);
    return EX_CONFIG;
  }
  process.stderr.write(
    'The settings are fine, but this version of Atelier has no Discord side yet: `npm run sandbox:gateway` starts the gateway.\n',
  );
  return 1;
}

// Not `process.exit`, which may cut off what was just written to a pipe.
process.exitCode = start();
