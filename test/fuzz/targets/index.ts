import type { Target } from '../target.ts';
import { callbackTargets } from './callbacks.ts';
import { fileTargets } from './files.ts';
import { gatewayTargets } from './gateway.ts';
import { soundTargets } from './sounds.ts';
import { streamTargets } from './streams.ts';
import { wordTargets } from './words.ts';

export const targets: readonly Target[] = [
  ...callbackTargets,
  ...fileTargets,
  ...soundTargets,
  ...gatewayTargets,
  ...streamTargets,
  ...wordTargets,
];
