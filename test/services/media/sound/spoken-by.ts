import type { AudioService } from '../../../../src/services/media/audio.ts';
import type { VoiceMessage } from '../../../../src/services/media/voice-queue.ts';

/** Encodes a complete voice message in one go. */
export function encodeVoiceMessage(audio: AudioService, pcm: Int16Array): Promise<VoiceMessage> {
  const writer = audio.startVoice({ maxSeconds: 600 });
  writer.add(pcm);
  return writer.finish();
}
