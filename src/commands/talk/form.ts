import type { FormPlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';

/** What is to be said: words, a sound, or both. */
export function speakForm(id: string, say: Say): FormPlan {
  return {
    id,
    title: say('talk.form.title'),
    fields: [
      { type: 'text', name: 'words', label: say('talk.form.words'), long: true },
      { type: 'file', name: 'sound', label: say('talk.form.sound'), hint: say('talk.form.soundHint') },
    ],
  };
}
