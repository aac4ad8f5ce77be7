import type { StyleName } from '../subject.ts';
import type { Style } from '../tools.ts';
import { bauhaus } from './bauhaus.ts';
import { botanical } from './botanical.ts';
import { city } from './city.ts';
import { cosmos } from './cosmos.ts';
import { landscape } from './landscape.ts';
import { ribbons } from './ribbons.ts';
import { seascape } from './seascape.ts';
import { seigaiha } from './seigaiha.ts';

export const styles: Readonly<Record<StyleName, Style>> = {
  landscape,
  seascape,
  seigaiha,
  city,
  botanical,
  cosmos,
  ribbons,
  bauhaus,
};
