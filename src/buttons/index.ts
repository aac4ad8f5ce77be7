import type { Services } from '../commands/services.ts';
import type { Button, Form, Opener } from '../discord/handlers.ts';
import { actionButton, changeButton } from './action.ts';
import { cancelButton, editedForm, editOpener, retryButton } from './again.ts';
import { allLinesButton, allLinesConfirmed } from './all-lines.ts';
import { animateFilled, animateOpener } from './animate.ts';
import { allowButton, declineButton } from './ask/calls.ts';
import { detailsButton } from './ask/details.ts';
import { forgetButton } from './ask/forget.ts';
import { goOnFilled, goOnOpener } from './ask/go-on.ts';
import { stopButton } from './ask/stop.ts';
import { deleteButton } from './delete.ts';
import { filmedForm, filmOpener } from './film.ts';
import { fineTuneButton } from './fine-tune.ts';
import { largerButton } from './larger.ts';
import { lineOpener, lineWritten } from './line.ts';
import { modelsPageButton } from './models-page.ts';
import { referenceOpener, referredForm } from './reference.ts';
import { sameButton } from './same.ts';
import { dismissButton, tryAgainButton } from './unconfirmed.ts';
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
  cancelButton,
  tryAgainButton,
  dismissButton,
  deleteButton,
  modelsPageButton,
  usageRangeButton,
  fineTuneButton,
  stopButton,
  forgetButton,
  detailsButton,
  allowButton,
  declineButton,
];

export const openers: readonly Opener<Services>[] = [
  wordsOpener,
  continueOpener,
  editOpener,
  referenceOpener,
  lineOpener,
  animateOpener,
  filmOpener,
  goOnOpener,
];

export const forms: readonly Form<Services>[] = [
  wordsWritten,
  continueWritten,
  editedForm,
  referredForm,
  lineWritten,
  animateFilled,
  filmedForm,
  goOnFilled,
];
