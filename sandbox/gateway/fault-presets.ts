import type { Fault } from './fault.ts';
import { realtimePresets } from './realtime/fault.ts';

/** Faults by name, for people and for tests that want the usual one. */
export const faultPresets = {
  'rate-limited': {
    type: 'status',
    status: 429,
    retryAfter: 2,
    code: 'rate_limit_exceeded',
    message: 'Too many requests.',
  },
  'rate-limited-until': {
    type: 'status',
    status: 429,
    retryAfter: 2,
    retryAfterDate: true,
    code: 'rate_limit_exceeded',
  },
  // What most real ones send: no header, no body (wire facts, part 8).
  'rate-limited-silent': { type: 'status', status: 429, as: 'empty' },
  // Code 30 in the image family (wire facts, 1.2).
  saturated: { type: 'status', status: 429, code: 'saturated', message: 'The group is saturated, try again later.' },
  'server-error': { type: 'status', status: 500, code: 'do_request_failed', message: 'The upstream request failed.' },
  'bad-gateway': { type: 'status', status: 502, as: 'html' },
  unavailable: {
    type: 'status',
    status: 503,
    code: 'get_channel_failed',
    message: 'No channel is available for this model.',
  },
  'gateway-timeout': { type: 'status', status: 524, as: 'html' },
  quota: {
    type: 'status',
    status: 403,
    code: 'insufficient_user_quota',
    message: 'The quota of this account is used up.',
  },
  unauthorized: { type: 'status', status: 401, code: 'invalid_api_key', message: 'This key has expired.' },
  'too-large': { type: 'status', status: 413, as: 'html' },
  empty: { type: 'empty' },
  half: { type: 'truncated', how: 'half' },
  lying: { type: 'truncated', how: 'lying' },
  cut: { type: 'truncated', how: 'cut' },
  hang: { type: 'hang' },
  drip: { type: 'drip' },
  reset: { type: 'reset' },
  'error-in-200': { type: 'error-in-200', as: 'error' },
  'success-false': { type: 'error-in-200', as: 'success-false' },
  'accepted-then-500': { type: 'accepted-then', spoilt: { type: 'status', status: 500 } },
  'accepted-then-hang': { type: 'accepted-then', spoilt: { type: 'hang' } },
  'accepted-then-reset': { type: 'accepted-then', spoilt: { type: 'reset' } },
  stick: { type: 'stick' },
  fail: { type: 'fail', reason: 'The engine could not finish this task.' },
  moderated: { type: 'fail', reason: 'The prompt was rejected by moderation: it may go against the content policy.' },
  slow: { type: 'slow', times: 5 },
  'lose-files': { type: 'lose-files' },
  'huge-file': { type: 'huge-file', megabytes: 60 },
  'no-media': { type: 'no-media' },
  'html-as-picture': { type: 'imposter', as: 'html' },
  'executable-as-picture': { type: 'imposter', as: 'executable' },
  'no-buttons': { type: 'no-buttons' },
  'text-cut': { type: 'text', how: 'cut' },
  'text-early-end': { type: 'text', how: 'early-end' },
  'text-error': { type: 'text', how: 'error' },
  'text-nested-error': { type: 'text', how: 'nested-error' },
  'text-failed': { type: 'text', how: 'failed' },
  'text-silence': { type: 'text', how: 'silence' },
  'text-empty-output': { type: 'text', how: 'empty-output' },
  'text-chat-usage': { type: 'text', how: 'chat-usage' },
  'text-chat': { type: 'text', how: 'chat' },
  'text-plain': { type: 'text', how: 'plain' },
  'no-tools': { type: 'text', how: 'refuse-tools' },
  'no-reasoning': { type: 'text', how: 'refuse-reasoning' },
  ...realtimePresets,
} as const satisfies Record<string, Fault>;

export type PresetName = keyof typeof faultPresets;
export const presetNames = Object.keys(faultPresets) as [PresetName, ...PresetName[]];
