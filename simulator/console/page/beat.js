// Clock of the heartbeat. Browsers slow down the timers of a page that is hidden, but not those of a worker.
"use strict";
setInterval(() => postMessage(0), 100);
