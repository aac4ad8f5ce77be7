import type { Attachment } from '../../discord/options.ts';
import { type Asker, mayInheritInstructions } from '../../services/asks/conversation.ts';
import { type AskRequest, efforts, formats } from '../../services/asks/request.ts';
import type { Task } from '../../services/tasks/task.ts';

/** What a member says with a question. */
export interface Given {
  prompt: string;
  model?: string | undefined;
  image?: Pick<Attachment, 'address' | 'name'> | undefined;
  file?: Pick<Attachment, 'address' | 'name'> | undefined;
  instructions?: string | undefined;
  effort?: string | undefined;
  format?: string | undefined;
  web?: boolean | undefined;
}

/** Instructions hold for a whole conversation, as far as it may know them; what else was wished for holds for one question. */
export function askedFor(given: Given, model: string, before: Task | undefined, asker: Asker): AskRequest {
  const { image, file, web } = given;
  const inherited = before && mayInheritInstructions(before, asker) ? before.request : undefined;
  const instructions = given.instructions?.trim() || inherited?.instructions;
  const effort = efforts.find((one) => one === given.effort);
  const format = formats.find((one) => one === given.format);
  return {
    prompt: given.prompt.trim(),
    model,
    ...(instructions && { instructions }),
    ...(effort && { effort }),
    ...(format && { format }),
    ...(web && { web }),
    ...(image && { pictures: [{ address: image.address, name: image.name }] }),
    ...(file && { documents: [{ address: file.address, name: file.name }] }),
    ...(before && { after: before.id }),
  };
}
