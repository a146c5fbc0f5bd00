import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './hub.css';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { nonce } from './nonce.ts';

// Locking the page behind an open drawer writes a style element, which only this lets through the policy.
setNonce(nonce);

const place = document.getElementById('hub');
if (place) createRoot(place).render(<App />);
