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
import { allLinesButton, allLinesConfirmed } from './all-lines.ts';
import { animateFilled, animateOpener } from './animate.ts';
import { allowButton, declineButton } from './ask/calls.ts';
import { detailsButton } from './ask/details.ts';
import { forgetButton as forgetConversationButton } from './ask/forget.ts';
import { goOnFilled, goOnOpener } from './ask/go-on.ts';
import { stopButton } from './ask/stop.ts';
import { deleteButton, deletePostButton } from './delete.ts';
import { filmedForm, filmOpener } from './film.ts';
import { fineTuneButton } from './fine-tune.ts';
import { largerButton } from './larger.ts';
import { lineOpener, lineWritten } from './line.ts';
import { modelsPageButton } from './models-page.ts';
import { exportButton, forgetButton, forgetReallyButton, forgetSureButton } from './own-data.ts';
import { referenceOpener, referredForm } from './reference.ts';
import { sameButton } from './same.ts';
import { showAllButton, showAskButton, showButton, showMeButton } from './show.ts';
import { endTalkButton } from './talk/end.ts';
import { speakOpener, spokenForm } from './talk/speak.ts';
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
  sameButton,
  allLinesButton,
  allLinesConfirmed,
  largerButton,
  retryOpenlyButton,
  cancelButton,
  tryAgainButton,
  tryAgainOpenlyButton,
  tryAgainBesideButton,
  dismissButton,
  deleteButton,
  deletePostButton,
  albumPageButton,
  songSelect,
  showButton,
  showMeButton,
  showAskButton,
  showAllButton,
  stopButton,
  forgetConversationButton,
  detailsButton,
  allowButton,
  declineButton,
  endTalkButton,
  modelsPageButton,
  usageRangeButton,
  tasksPageButton,
  chooseTask,
  exportButton,
  forgetButton,
  forgetSureButton,
  forgetReallyButton,
  fineTuneButton,
];

export const openers: readonly Opener<Services>[] = [
  wordsOpener,
  continueOpener,
  editOpener,
  editOpenlyOpener,
  referenceOpener,
  lineOpener,
  animateOpener,
  filmOpener,
  goOnOpener,
  speakOpener,
];

export const forms: readonly Form<Services>[] = [
  wordsWritten,
  continueWritten,
  editedForm,
  editedOpenlyForm,
  lineWritten,
  animateFilled,
  goOnFilled,
  spokenForm,
  referredForm,
  filmedForm,
];
