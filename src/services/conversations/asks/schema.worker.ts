import { formatJson, parsePlainJson } from '../../../lib/exact-json.ts';
import { serveJobs } from '../../../lib/worker-pool.ts';
import type { SchemaCheck } from '../../tasks/answer.ts';
import { findMismatches, schemaProblem } from './mismatches.ts';

export type SchemaJob = { schema: string; answer?: string };

export interface SchemaVerdict {
  problem?: string | undefined;
  checked?: { text: string; check: SchemaCheck } | undefined;
}

/** Deeply nested JSON becomes very long when it is indented. */
const MAX_FORMATTED_LENGTH = 500_000;

serveJobs(async ({ schema, answer }: SchemaJob) => {
  const verdict = answer === undefined ? { problem: schemaProblem(JSON.parse(schema)) } : checkAnswer(schema, answer);
  return { result: verdict satisfies SchemaVerdict, transfer: [] };
});

function checkAnswer(schema: string, answer: string): SchemaVerdict {
  const text = withoutFence(answer);
  const value = parsePlainJson(text);
  if (value === undefined) return {};
  const formatted = formatJson(text, MAX_FORMATTED_LENGTH) ?? text;
  return { checked: { text: formatted, check: { ...findMismatches(value, JSON.parse(schema)), isUnfinished: false } } };
}

/** Models that do not support structured output often answer in a code block. */
function withoutFence(answer: string): string {
  const text = answer.trim();
  const start = /^```(?:json)?\n/.exec(text)?.[0].length;
  return start !== undefined && text.endsWith('\n```') ? text.slice(start, -4).trim() : text;
}
