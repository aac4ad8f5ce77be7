import type { Services } from '../commands/services.ts';
import type { Button, Form, Opener } from '../discord/handlers.ts';
import { actionButton, changeButton } from './action.ts';
import {
  cancelButton,
  editedForm,
  editedOpenlyForm,
  editOpener,
  editOpenlyOpener,
  retryButton,
  retryOpenlyButton,
} from './again.ts';
import { albumPageButton, songSelect } from './album.ts';
import { deleteButton, deletePostButton } from './delete.ts';
import { modelsPageButton } from './models-page.ts';
import { exportButton, forgetButton, forgetReallyButton, forgetSureButton } from './own-data.ts';
import { showAllButton, showAskButton, showButton, showMeButton } from './show.ts';
import { chooseTask, tasksPageButton } from './tasks.ts';
import { dismissButton, tryAgainBesideButton, tryAgainButton, tryAgainOpenlyButton } from './unconfirmed.ts';
import { upscaleAllButton } from './upscale-all.ts';
import { usageRangeButton } from './usage-range.ts';
import { continueOpener, continueWritten, wordsOpener, wordsWritten } from './words.ts';

export const buttons: readonly Button<Services>[] = [
  actionButton,
  changeButton,
  upscaleAllButton,
  retryButton,
  retryOpenlyButton,
  cancelButton,
  tryAgainButton,
  tryAgainOpenlyButton,
  tryAgainBesideButton,
  dismissButton,
  deleteButton,
  deletePostButton,
  modelsPageButton,
  albumPageButton,
  songSelect,
  usageRangeButton,
  tasksPageButton,
  chooseTask,
  showButton,
  showMeButton,
  showAskButton,
  showAllButton,
  exportButton,
  forgetButton,
  forgetSureButton,
  forgetReallyButton,
];

export const openers: readonly Opener<Services>[] = [wordsOpener, continueOpener, editOpener, editOpenlyOpener];

export const forms: readonly Form<Services>[] = [wordsWritten, continueWritten, editedForm, editedOpenlyForm];
