"""Pages that watch a drive, as a process of its own: `python -m research.costs.console_viewers HOST COUNT`, cookie in the standard input.

The first page reads nothing, and comes back whenever the console has disconnected it. The process ends with its standard input.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading

from simulator.base.json_output import json_text

COLUMNS = ("host_tick", "time", "yaw", "p_WB_x", "p_WB_y", "v_WB_B_x", "a_WG_B_y", "host_lateness")
"""What a page plots."""


async def _watch(host: str, cookie: str, reads: bool) -> None:
    from websockets.asyncio.client import connect
    from websockets.typing import Origin

    headers = {"Cookie": cookie}
    while True:
        with contextlib.suppress(Exception):  # the console has disconnected it
            async with connect(f"ws://{host}/live", origin=Origin(f"http://{host}"), additional_headers=headers, proxy=None) as page:
                await page.send(json_text({"type": "plot", "columns": COLUMNS}))
                if reads:
                    async for _ in page:
                        pass
                else:
                    await page.wait_closed()
        await asyncio.sleep(0.1)


async def _watch_all(host: str, cookie: str, count: int) -> None:
    await asyncio.gather(*(_watch(host, cookie, number > 0) for number in range(count)))


def main() -> None:
    """Watch until the standard input ends."""
    cookie = sys.stdin.readline().strip()

    def wait() -> None:
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
    asyncio.run(_watch_all(sys.argv[1], cookie, int(sys.argv[2])))


if __name__ == "__main__":
    main()
