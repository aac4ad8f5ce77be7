import type { TaskKind } from '../../services/tasks/task.ts';
import { image } from './image.ts';
import type { KindView } from './kind-view.ts';
import { shorten } from './shorten.ts';

export const kindViews: Readonly<Partial<Record<TaskKind, KindView>>> = { image, shorten };
