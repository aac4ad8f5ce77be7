import { describeAudio } from './describe-sound.ts';
import { samplesFrom } from './input-buffer.ts';
import type { Item } from './item.ts';
import { secondsOf } from './pcm.ts';
import { addedEvents } from './reply-events.ts';
import type { Session } from './session.ts';

/** If the session has turn detection, detects the beginning and the end of speech in the audio input. */
export function detectSpeech(chunk: Buffer, session: Session): void {
  const { settings, detector, client, turns } = session;
  const { detection } = settings;
  if (!detection) return;
  for (const { kind, ms } of detector.detect(samplesFrom(chunk), detection)) {
    if (kind === 'started') {
      detector.itemId = session.createId('item');
      client.send({ type: 'input_audio_buffer.speech_started', audio_start_ms: ms, item_id: detector.itemId });
      if (detection.interrupt_response) turns.cancelCurrent('turn_detected');
    } else {
      const id = detector.itemId;
      client.send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: ms, item_id: id });
      commitInput(session, id);
      if (detection.create_response && !turns.isAnswering) turns.respond();
    }
  }
}

/** Adds the buffered audio to the conversation. */
export function commitInput(session: Session, id: string): void {
  const { buffer, conversation, dialect, client, settings, transcripts } = session;
  const samples = buffer.take();
  const item: Item = {
    id,
    status: 'completed',
    type: 'message',
    role: 'user',
    parts: [
      { type: 'sound', description: describeAudio(samples), ms: secondsOf(samples) * 1_000, isTranscribed: false },
    ],
  };
  const previousItemId = conversation.add(item);
  client.send({ type: 'input_audio_buffer.committed', previous_item_id: previousItemId, item_id: id });
  for (const event of addedEvents(item, previousItemId, dialect)) client.send(event);
  if (settings.transcription) transcripts.start(item, 0);
}
