import type { APIMessage } from 'discord-api-types/v10';
import { eachComponent } from './message-content.ts';

/** All text in a message: its content, embeds and Components V2, but not the labels of buttons. */
export function text(message: Pick<APIMessage, 'content' | 'embeds' | 'components'>): string {
  const pieces: unknown[] = [message.content];
  for (const { title, description, fields = [], footer, author } of message.embeds)
    pieces.push(author?.name, title, description, ...fields.flatMap(({ name, value }) => [name, value]), footer?.text);
  eachComponent(message.components ?? [], (component) => pieces.push(component.content));
  return pieces.filter((piece) => typeof piece === 'string' && piece !== '').join('\n');
}
