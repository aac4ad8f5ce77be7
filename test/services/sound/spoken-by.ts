import type { Sounds } from '../../../src/services/sound/sounds.ts';
import type { SpokenMessage } from '../../../src/services/sound/writing.ts';

/** All of a voice at once. */
export function spokenBy(sounds: Sounds, pcm: Int16Array): Promise<SpokenMessage> {
  const writer = sounds.writing({ mostSeconds: 600 });
  writer.add(pcm);
  return writer.finish();
}
