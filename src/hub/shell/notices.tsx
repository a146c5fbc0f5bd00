import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';

/** Where what is said of an action appears. What is said before it is there waits for it. */
export const Notices = () => <Notifications position="bottom-right" limit={4} />;
