export const refusals = {
  optionPromptEmpty: 'The prompt is empty. Write what the pictures should show.',
  optionOutOfRange: '{{flag}} goes from {{least}} to {{most}}. Change its number and ask again.',
  optionNegativeHasFlag:
    'The option `negative` takes only words for what should not be there. Write {{flag}} into the prompt instead.',
  pictureIsNone: '{{name}} is no picture but {{mediaType}}. Choose a PNG, JPEG or WebP.',
  pictureEmpty: '{{name}} is empty: nothing of it arrived. Choose a PNG, JPEG or WebP.',
  noPictureHere: 'There is no picture on this message. Choose a message that shows one.',
  noSuchPicture: 'There is no picture {{number}} among those in the form. Choose another one, or none for all of them.',
  pictureLinkUnusable:
    '{{link}} is no address that can be used. Write whole addresses that begin with `https://` or `http://`, with spaces between.',
  picturesNotPostable:
    'The bot could not show the result in this channel. It lacks {{missing}} here; who manages the server can allow it. With `private` switched on it works without.',
  documentUnreadable:
    '{{name}} is neither a picture nor a PDF nor text that can be read. Save it as text in UTF-8, or as PDF.',
  documentEmpty: '{{name}} is empty: nothing of it arrived. Choose another file.',
  documentTooLarge: '{{name}} is larger than {{most}}. Give a shorter part of it.',
  documentsGone: '{{name}} is no longer where it was. Upload it again.',
  notStoppable: 'This has come to its end already.',
  sameOrder: 'You have just asked for exactly this, and it is on its way. To have it twice, ask again in a moment.',
  kindMissing:
    'This gateway has no way to order this. Nothing was ordered, and nothing is charged. Songs that were made elsewhere can be followed with `/music follow`.',
  songEmpty: 'Say what the song is about, or give lyrics, a style or a title.',
  songBoth: 'A song has either lyrics or a description from which they are written. Leave `about` or `lyrics` out.',
  songTooLong: 'The option {{option}} may have {{most}} characters, and this has {{count}}. Make it shorter.',
  idsNone: 'There is no id in this. Paste ids, or addresses that end in one, with commas, spaces or lines between.',
  idsOdd: 'These are no ids: {{odd}}. Leave them out, and ask again.',
  idsTooMany: 'At most {{most}} tasks can be followed in one message, and these are {{count}}. Follow them in several.',
  idsNotYours:
    'These are neither your own nor anything public: {{ids}}. Ids from elsewhere can be followed by whoever manages the bot’s own server, there, and by whoever runs the bot.',
  idsOfOthers: 'These belong to private work of somebody else, and only they can follow it: {{ids}}.',
  idsPrivate: 'These are private, and here everybody would see them: {{ids}}. Follow them with `private` switched on.',
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
  fineTuneNotYours:
    'Fine-tunes belong to the account of this bot, so only whoever runs the bot or manages its server can see them. Ask one of them.',
  fineTuneNoId:
    'This is no id of a fine-tune: give it as the gateway does, such as `ft-abc123`, with 60 letters at most.',
  fineTuneUnknown:
    'The gateway knows no fine-tune {{id}}. Its id has to be given letter by letter, as the gateway told it.',
  fineTunesNotOffered:
    'This gateway does not tell of fine-tunes: it has no such endpoint. Nothing is wrong with the id, and asking again does not help.',
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
  talkHere:
    'A live conversation is going on in this thread already. End it with `/talk end`, or begin another one elsewhere.',
  talkNone: 'There is no live conversation in this thread. `/talk start` begins one.',
  talkOver: 'This live conversation is over. `/talk start` begins another one.',
  talkNotYours: 'Only whoever began this conversation, and those who manage messages here, can end it.',
  talkElsewhere: 'This conversation takes place in a thread of its own. Speak there.',
  talkOnlyOwner: 'Only whoever began this conversation is heard in it. `/talk start` begins one of your own.',
  talkNothing: 'There is nothing in it to be said. Write something, or add a sound file.',
  talkNotOpened: 'The gateway did not say whether it opens a conversation. Try again in a moment.',
  talkNoRealtime:
    'The model {{model}} does not support live conversations. Name another one with the option `model`; `/models kind:voice` lists those that seem to.',
  talkNoRealtimeNear:
    'The model {{model}} does not support live conversations. These seem to: {{near}}. Name one with the option `model`.',
  stopping: 'The bot is just being restarted. Try again in a moment.',
  tasksNotYours:
    'Only members who manage this server see what others asked for. Without the option `whose` you see your own.',
  tasksNoServer: 'This is no server. Without the option `whose` you see what you asked for yourself, everywhere.',
  messageStays: 'Its message cannot be deleted just now. Try again in a minute.',
  exportTooLarge:
    'There is too much about you for a file that Discord takes. Ask whoever runs this bot for it; they can read it out of the store.',
  exportUnderWay: 'Your export is being prepared already. It appears where you asked for it first.',
  exportWhileForgotten: 'Your data is being deleted. Ask for an export once that is done.',
  tasksTextTooLong: 'That is too long to search for. Use a word or two.',
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
  sizeUnusable: '{{size}} is no size. Write it as `1280x720`, as `16:9` or as `720p`.',
  durationUnusable: '{{duration}} is no duration. Write seconds as a number, such as `5`.',
  cameraUnusable:
    'The camera begins like JSON and is none. Write words, or a whole object such as `{"type": "simple", "config": {"zoom": 5}}`.',
  extraBroken: 'The option `extra` is no JSON that can be read. Write it like `{"cfg_scale": 0.5, "!fps": 24}`.',
  extraNoObject: 'The option `extra` takes one JSON object, with names and values: `{"cfg_scale": 0.5, "!fps": 24}`.',
  extraDeep:
    'The option `extra` has objects in objects, more than {{most}} deep. No model reads that: make it flatter.',
  extraKey: '{{key}} is no name for a field in `extra`. Choose another one.',
  extraNumber: 'A number in `extra` is too large to be sent without loss. Put it into quotation marks.',
  extraHasOption: '{{key}} in `extra` has a place of its own. Use the option {{option}} for it.',
  filmLinksTooMany: 'The option {{option}} takes at most {{most}} addresses. Choose the ones that matter.',
  filmLinkUnusable:
    '{{link}} in {{option}} is no address that can be used. Write whole addresses that begin with `https://` or `http://`, with spaces between.',
  filmReferencesTooLong:
    'The reference videos last {{seconds}} s together, and at most {{most}} s are taken. Leave one out, or shorten them.',
  filmTakesOne:
    'This endpoint takes one picture, and {{count}} were given. Choose one, or the generic endpoint, which takes seven.',
  filmNeedsPicture: 'This endpoint makes a film of a picture. Add one with `image` or `links`.',
  filmOptionElsewhere:
    'The option {{option}} has no place at this endpoint. Leave it out, or choose the generic endpoint.',
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
