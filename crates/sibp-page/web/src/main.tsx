/** Starts the page. */
import { render } from 'preact';
import { App } from './app';
import * as connection from './lib/connection';
import * as router from './lib/router';
import * as theme from './lib/theme';
import './style/base.css';
import './style/parts.css';
import './style/views.css';

theme.start();
router.start();
connection.start();
const root = document.getElementById('app');
if (root) render(<App />, root);
