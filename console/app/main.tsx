import { render } from 'preact';
import { Frame } from './frame.js';

const place = document.getElementById('console')!;
// what the page shows until here is the outline of what follows
place.replaceChildren();
render(<Frame />, place);
