// Loaded with `--import` by the scripts that read settings. Unlike `--env-file-if-exists`, it prints nothing if there is no .env, because
// settings may come from the environment, and missing ones are named anyway.
import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';

if (existsSync('.env')) loadEnvFile('.env');
