import type { Handlers } from '../../discord/handlers.ts';
import type { MessageServices } from '../services.ts';
import {
  cancelButton,
  editedForm,
  editedOpenlyForm,
  editOpener,
  editOpenlyOpener,
  retryButton,
  retryOpenlyButton,
  sameButton,
} from './again.ts';
import { deleteButton } from './delete.ts';
import { dismissButton, tryAgainBesideButton, tryAgainButton, tryAgainOpenlyButton } from './unconfirmed.ts';

/** What stands on the messages of many features. */
export const shared = {
  buttons: [
    retryButton,
    retryOpenlyButton,
    cancelButton,
    sameButton,
    tryAgainButton,
    tryAgainOpenlyButton,
    tryAgainBesideButton,
    dismissButton,
    deleteButton,
  ],
  openers: [editOpener, editOpenlyOpener],
  forms: [editedForm, editedOpenlyForm],
} satisfies Omit<Handlers<MessageServices>, 'commands'>;
