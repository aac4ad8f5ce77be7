import type { TaskKind } from '../../services/tasks/task.ts';
import type { KindView } from './kind-view.ts';
import { shorten } from './shorten.ts';
import { song } from './song.ts';

export const kindViews: Readonly<Partial<Record<TaskKind, KindView>>> = { shorten, song, music: song };
