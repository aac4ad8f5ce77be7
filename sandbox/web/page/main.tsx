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
import { requestCompletions } from './composer/suggestions.ts';
import { token } from './state/api.ts';
import { followAppearance } from './state/appearance.ts';
import { connectLive } from './state/live.ts';
import { loadError } from './state/world.ts';

followAppearance();
requestCompletions();
if (token === '') loadError.value = 'The address has no token. Open the full address that the terminal shows.';
else connectLive();

const page = document.getElementById('page');
if (page) render(<App />, page);
