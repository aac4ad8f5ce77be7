import type { AudioService } from '../../../src/services/sound/audio.ts';
import type { VoiceMessage } from '../../../src/services/sound/voice-queue.ts';

/** All of a voice message at once. */
export function spokenBy(sounds: AudioService, pcm: Int16Array): Promise<VoiceMessage> {
  const writer = sounds.writing({ maxSeconds: 600 });
  writer.add(pcm);
  return writer.finish();
}
