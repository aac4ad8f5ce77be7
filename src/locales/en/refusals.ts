export const refusals = {
  optionPromptEmpty: 'The prompt is empty. Write what the pictures should show.',
  pictureIsNone: '{{name}} is no picture but {{mediaType}}. Choose a PNG, JPEG or WebP.',
  pictureEmpty: '{{name}} is empty: nothing of it arrived. Choose a PNG, JPEG or WebP.',
  noPictureHere: 'There is no picture on this message. Choose a message that shows one.',
  pictureLinkUnusable:
    '{{link}} is no address that can be used. Write whole addresses that begin with `https://` or `http://`, with spaces between.',
  picturesNotPostable:
    'The bot could not show the result in this channel. It lacks {{missing}} here; who manages the server can allow it. With `private` switched on it works without.',
  documentUnreadable:
    '{{name}} is neither a picture nor a PDF nor text that can be read. Save it as text in UTF-8, or as PDF.',
  documentEmpty: '{{name}} is empty: nothing of it arrived. Choose another file.',
  documentTooLarge: '{{name}} is larger than {{most}}. Give a shorter part of it.',
  documentsGone: '{{name}} is no longer where it was. Upload it again.',
  sameOrder: 'You have just asked for exactly this, and it is on its way. To have it twice, ask again in a moment.',
  kindMissing:
    'This gateway has no way to order this. Nothing was ordered, and nothing is charged. Songs that were made elsewhere can be followed with `/music follow`.',
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
  guildNotServed: 'This bot is at home on another server and takes no orders here.',
  notUserInstallable: 'This bot takes orders on its servers only, not as a personal app.',
  unknownCommand: 'This command is no longer part of the bot. Restart Discord to see the present ones.',
  unknownButton: 'This button belongs to something that this bot does not know.',
  outdatedButton: 'This button is from another version of the bot. Use the command again to get a new one.',
  talkOutsideServer:
    'A live conversation takes place in a thread of a server that has installed this bot. Use `/talk start` there.',
  talkNoThreads:
    'There are no threads in a channel of this kind, and a live conversation takes place in one. Use `/talk start` in a text channel, or in a thread.',
  talkNotAllowed:
    'A live conversation takes place in a thread, and the bot lacks {{missing}} here. Who manages the server can allow it; in another channel it may work.',
  talkThreadRefused:
    'Discord did not let the bot make a thread or write in it here, so the conversation is ended again. Try another channel, or a thread that is there already.',
  talkThreadsFull:
    'This server has as many active threads as Discord allows, so the conversation is ended again. Close one, or use `/talk start` in a thread that is there already.',
  talkThreadLater:
    'Discord could not make the thread just now, so the conversation is ended again. Try again in a moment.',
  talkOver: 'This live conversation is over. `/talk start` begins another one.',
  stopping: 'The bot is just being restarted. Try again in a moment.',
  exportTooLarge:
    'There is too much about you for a file that Discord takes. Ask whoever runs this bot for it; they can read it out of the store.',
  exportUnderWay: 'Your export is being prepared already. It appears where you asked for it first.',
  exportWhileForgotten: 'Your data is being deleted. Ask for an export once that is done.',
  nameModel: 'No model could be found for this. Name one with the option `model`; `/models` lists them.',
  unknownModel:
    'There is no model {{id}} for this key: it may not exist, or the key may not reach it. Ids are taken letter by letter, upper and lower case included.',
  unknownModelNear:
    'There is no model {{id}} for this key: it may not exist, or the key may not reach it. Near ones: {{near}}.',
  picturesTooMany: 'At most {{most}} pictures can be sent along. Choose the ones that matter, and ask again.',
  picturesTooLarge: 'The pictures are larger than {{most}} together. Send fewer or smaller ones.',
  pictureOdd: '{{name}} is not a picture that can be read. Send a PNG, JPEG, WebP, GIF or AVIF.',
  pictureTooLarge:
    '{{name}} is too large: more than {{most}}, or far more pixels than a picture needs. Make it smaller and send it again.',
  filmOdd: '{{name}} is not a film that can be read. Give an MP4, MOV or WebM.',
  soundOdd: '{{name}} is not a sound that can be read. Give an MP3, M4A, WAV or OGG.',
  fileTooLarge: '{{name}} is larger than {{most}}. Make it smaller and give it again.',
  referenceNotPublic:
    '{{name}} is not on the public internet, where the gateway fetches it. Give an address that anybody can open.',
  referenceOutOfReach:
    'The gateway cannot reach files of this Discord, and so not {{name}}. Give a public address with `links`.',
  referenceEnded: 'The address of {{name}} ran out at {{until}}. Upload it again.',
  referenceEndsSoon:
    'The address of {{name}} is good until {{until}} only, and the gateway may need it for {{minutes}} minutes. Upload it again.',
  pictureGone: '{{name}} is no longer where it was. Upload it again.',
  pictureUnreachable:
    '{{name}} could not be fetched. Upload it to Discord instead of giving a link, or try again in a moment.',
  maskEmpty: '{{name}} marks nothing. Paint what should change in white on black, or erase it from the picture.',
  maskFull: '{{name}} marks the whole picture. Paint only what should change in white, and leave the rest black.',
  maskUnclear:
    '{{name}} has too many greys to tell what it marks. Paint what should change in white on black, or erase it from the picture.',
  maskSizeUnknown:
    'The picture that should be changed cannot be looked at just now, so nobody knows how large it is. Try again in a moment, or send a mask that you have drawn.',
  soundUnreadable: 'This sound is broken and cannot be heard. Record or save it once more, and send it again.',
  soundTooLong: 'This sound lasts longer than {{most}} seconds. Say it in shorter parts.',
  soundEmpty: 'There is nothing to hear in this. Record it once more, and send it again.',
  soundUnknown: 'The bot cannot hear this kind of file. Send a voice message, or a file in Ogg Opus, MP3 or WAV.',
  soundsBusy: 'The bot has more to listen to than it can hear just now. Send it again in a moment.',
} as const;
