import { z } from 'zod';
import { systemClock } from '../../../../src/lib/clock.ts';
import { MediaProcess } from '../../../../src/services/media/media-process.ts';

// Prints the id of its media process, and then waits to be killed.
const media = new MediaProcess({ clock: systemClock, log: { warn: () => undefined } });
const size = { width: 64, height: 64 };
await media.run({ do: 'side-mask', side: 'left', size, maxPixels: 1_000_000 }, z.object({}));
process.stdout.write(String(media.pid));
setInterval(() => undefined, 60_000);
