import { secondsOf } from '../../../src/lib/pcm.ts';
import { understood } from './ear.ts';
import { samplesFrom } from './input-buffer.ts';
import type { Item } from './item.ts';
import { addedEvents } from './reply-events.ts';
import type { Session } from './session.ts';

/** If the session asks for it, the model itself detects the beginning and the end of speech. */
export function listen(piece: Buffer, session: Session): void {
  const { settings, detector, line, turns } = session;
  const { detection } = settings;
  if (!detection) return;
  for (const { what, ms } of detector.hear(samplesFrom(piece), detection)) {
    if (what === 'started') {
      detector.id = session.freshId('item');
      line.tell({ type: 'input_audio_buffer.speech_started', audio_start_ms: ms, item_id: detector.id });
      if (detection.interrupt_response) turns.breakOff('turn_detected');
    } else {
      const id = detector.id;
      line.tell({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: ms, item_id: id });
      commit(session, id);
      if (detection.create_response && !turns.isAnswering) turns.answer();
    }
  }
}

/** What was said becomes a part of the conversation. */
export function commit(session: Session, id: string): void {
  const { buffer, conversation, dialect, line, settings, transcripts } = session;
  const sound = buffer.take();
  const item: Item = {
    ...{ id, status: 'completed', type: 'message', role: 'user' },
    parts: [{ type: 'sound', understood: understood(sound), ms: secondsOf(sound) * 1_000, isWritten: false }],
  };
  const before = conversation.add(item);
  line.tell({ type: 'input_audio_buffer.committed', previous_item_id: before, item_id: id });
  for (const event of addedEvents(item, before, dialect)) line.tell(event);
  if (settings.transcription) transcripts.write(item, 0);
}
