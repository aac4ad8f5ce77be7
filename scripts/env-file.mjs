// Loaded with `--import` by the scripts that read settings. Unlike `--env-file-if-exists`, it prints nothing if there is no .env, because
// settings may come from the environment, and missing ones are named anyway.
import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';

const own = new Set(Object.keys(process.env));
if (existsSync('.env')) loadEnvFile('.env');
// For a reload, which reads the file again.
process.env.ENV_FILE_NAMES = Object.keys(process.env)
  .filter((name) => !own.has(name))
  .join(' ');
