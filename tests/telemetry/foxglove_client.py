"""Client of the subprotocol foxglove.sdk.v1 by the package websockets alone: python foxglove_client.py PORT TOPIC=COUNT ...

It waits for the server, subscribes, and ends when COUNT messages of each topic have come. It prints a JSON object: `server`, `channels` (topic:
encoding, schema, encoding of the schema), `got` (topic: hexadecimal messages, the first 400 bytes and the length of each), `times` (server
times, ns), `parameters`, `after_set` (parameters after the attempt to change the seed).
"""

from __future__ import annotations

import asyncio
import json
import struct
import sys
from typing import Any

import websockets

MESSAGE, TIME = 1, 2


async def connect(port: str) -> Any:
    """Return a connection, as soon as the server listens."""
    while True:
        try:
            return await websockets.connect(f"ws://127.0.0.1:{port}", subprotocols=["foxglove.sdk.v1"], max_size=None)
        except OSError:
            await asyncio.sleep(0.05)


async def main(port: str, wanted: dict[str, int]) -> None:
    """Talk with the server."""
    out: dict[str, Any] = {"channels": {}, "got": {topic: [] for topic in wanted}, "times": [], "parameters": {}, "after_set": {}}
    topics: dict[int, str] = {}
    socket = await connect(port)
    async for data in socket:
        if isinstance(data, str):
            message = json.loads(data)
            if message["op"] == "serverInfo":
                out["server"] = message
                await socket.send(json.dumps({"op": "getParameters", "parameterNames": [], "id": "get"}))
                change = [{"name": "seed", "value": 99}, {"name": "new", "value": 1}]
                await socket.send(json.dumps({"op": "setParameters", "parameters": change, "id": "set"}))
            elif message["op"] == "advertise":
                for one in message["channels"]:
                    topics[one["id"]] = one["topic"]
                    out["channels"][one["topic"]] = [one["encoding"], one["schemaName"], one["schemaEncoding"], one["schema"]]
                asked = [{"id": 1000 + one["id"], "channelId": one["id"]} for one in message["channels"] if one["topic"] in wanted]
                await socket.send(json.dumps({"op": "subscribe", "subscriptions": asked}))
            elif message["op"] == "parameterValues":
                into = out["after_set" if message.get("id") == "set" else "parameters"]
                into |= {one["name"]: one["value"] for one in message["parameters"]}
        elif data[0] == MESSAGE:
            subscription, _ = struct.unpack("<IQ", data[1:13])
            out["got"][topics[subscription - 1000]].append([data[13:413].hex(), len(data) - 13])
        elif data[0] == TIME:
            out["times"].append(struct.unpack("<Q", data[1:9])[0])
        if all(len(out["got"][topic]) >= count for topic, count in wanted.items()) and out["after_set"]:
            break
    print(json.dumps(out))
    await socket.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], {name: int(count) for name, _, count in (one.partition("=") for one in sys.argv[2:])}))
