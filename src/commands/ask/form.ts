import type { FormPlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';

export function goOnForm(id: string, say: Say): FormPlan {
  return {
    id,
    title: say('ask.form.title'),
    fields: [
      { type: 'text', name: 'words', label: say('ask.form.words'), long: true, required: true },
      { type: 'file', name: 'file', label: say('ask.form.file'), hint: say('ask.form.fileHint') },
    ],
  };
}

interface Filled {
  fields: Readonly<Record<string, string>>;
  files: Readonly<Record<string, { address: string; name: string }>>;
}

/** A form does not tell what a file is; what is in it is looked at before it is sent. */
const PICTURE = /\.(?:png|jpe?g|webp|gif|avif)$/i;

/** What came back of such a form. */
export function goneOnIn({ fields, files: { file } }: Filled) {
  const isPicture = file !== undefined && PICTURE.test(file.name);
  return {
    prompt: (fields.words ?? '').trim(),
    ...(file && (isPicture ? { image: file } : { file })),
  };
}
