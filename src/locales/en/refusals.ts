export const refusals = {
  optionPromptEmpty: 'The prompt is empty. Write what the pictures should show.',
  optionOutOfRange: '{{flag}} goes from {{least}} to {{most}}. Change its number and ask again.',
  optionNegativeHasFlag:
    'The option `negative` takes only words for what should not be there. Write {{flag}} into the prompt instead.',
  pictureIsNone: '{{name}} is no picture but {{mediaType}}. Choose a PNG, JPEG or WebP.',
  pictureLinkUnusable:
    '{{link}} is no address that can be used. Write whole addresses that begin with `https://` or `http://`, with spaces between.',
  picturesNotPostable:
    'The bot could not show the result in this channel. It lacks {{missing}} here; who manages the server can allow it. With `private` switched on it works without.',
  sameOrder: 'You have just asked for exactly this, and it is on its way. To have it twice, ask again in a moment.',
  unknownTask: 'The bot does not know this task any more.',
  notYours: 'Only whoever asked for this can decide about it.',
  alreadyTriedAgain: 'This was tried again already.',
  noWordsWanted: 'This does not wait for words any more.',
  noWords: 'Write at least one word, then send the form again.',
  storeAway: 'The bot cannot note anything down right now, so nothing was done. Try again in a moment.',
  storeSlow: 'The bot is slow right now, and Discord does not wait for a form. Press once more.',
  noResult: 'There is no result here to go on from like this.',
  notFailed: 'This has not failed, so there is nothing to try again.',
  cannotCancel:
    'The gateway has no way to take an order back: this job goes on, and its result comes here. It can be deleted then.',
  alreadyDecided: 'There is nothing to decide about this any more.',
  usageNoDate: '{{day}} is no date. Write it as year, month and day, such as `2026-01-31`.',
  usageEndFirst: 'The end, {{end}}, lies before the start, {{start}}. Swap them and ask again.',
  usageAhead: 'A range that begins on {{start}} lies in the future: today is {{today}} (UTC). Choose an earlier start.',
  usageTooLong: 'A range may have {{most}} days at most, and this one has {{days}}. Ask for less at a time.',
  usageNotYours:
    'Only whoever may see the account can change this. What you used yourself is shown by `/usage`, to you alone.',
  guildNotServed: 'This bot is at home on another server and takes no orders here.',
  notUserInstallable: 'This bot takes orders on its servers only, not as a personal app.',
  unknownCommand: 'This command is no longer part of the bot. Restart Discord to see the present ones.',
  unknownButton: 'This button belongs to something that this bot does not know.',
  outdatedButton: 'This button is from another version of the bot. Use the command again to get a new one.',
  stopping: 'The bot is just being restarted. Try again in a moment.',
  unknownModel:
    'There is no model {{id}} for this key: it may not exist, or the key may not reach it. Ids are taken letter by letter, upper and lower case included.',
  unknownModelNear:
    'There is no model {{id}} for this key: it may not exist, or the key may not reach it. Near ones: {{near}}.',
  picturesTooMany: 'At most {{most}} pictures can be sent along. Choose the ones that matter, and ask again.',
  picturesTooLarge: 'The pictures are larger than {{most}} together. Send fewer or smaller ones.',
  pictureOdd: '{{name}} is not a picture that can be read. Send a PNG, JPEG, WebP, GIF or AVIF.',
  pictureTooLarge:
    '{{name}} is too large: more than {{most}}, or far more pixels than a picture needs. Make it smaller and send it again.',
  pictureGone: '{{name}} is no longer where it was. Upload it again.',
  pictureUnreachable:
    '{{name}} could not be fetched. Upload it to Discord instead of giving a link, or try again in a moment.',
  maskEmpty: '{{name}} marks nothing. Paint what should change in white on black, or erase it from the picture.',
  maskFull: '{{name}} marks the whole picture. Paint only what should change in white, and leave the rest black.',
  maskUnclear:
    '{{name}} has too many greys to tell what it marks. Paint what should change in white on black, or erase it from the picture.',
  maskSizeUnknown:
    'The picture that should be changed cannot be looked at just now, so nobody knows how large it is. Try again in a moment, or send a mask that you have drawn.',
} as const;
