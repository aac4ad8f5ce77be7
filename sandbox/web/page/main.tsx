import '@fontsource-variable/figtree/index.css';
import 'twemoji-colr-font/twemoji.css';
import './styles/colours.css';
import './styles/ground.css';
import './styles/house.css';
import './styles/side.css';
import './styles/channel.css';
import './styles/message.css';
import './styles/markdown.css';
import './styles/media.css';
import './styles/controls.css';
import './styles/composer.css';
import './styles/dialog.css';
import './styles/workbench.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { followTyping } from './composer/suggestions.ts';
import { goLive } from './state/live.ts';
import { followLook } from './state/look.ts';
import { token } from './state/session.ts';
import { trouble } from './state/world.ts';

followLook();
followTyping();
if (token === '') trouble.value = 'The address has no token. Open the full address that the terminal shows.';
else goLive();

const page = document.getElementById('page');
if (page) render(<App />, page);
