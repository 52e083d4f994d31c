"""Motion for a platform: drive two seconds in real time and look at the packets that came. Nothing leaves this machine.

A real platform is named by its address instead; read the README on safety first. Writes 08_stream.png.
"""

import socket
import threading

import simulator as jounce

receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.bind(("127.0.0.1", 0))
receiver.settimeout(0.2)
packets, over = [], threading.Event()


def receive():
    while not over.is_set():
        try:
            packets.append(receiver.recv(2048))
        except TimeoutError:
            continue


listener = threading.Thread(target=receive)
listener.start()
summary = jounce.stream("scripted_drive", to=f"127.0.0.1:{receiver.getsockname()[1]}", rate=250.0, duration=2.0, out="08_stream")
over.set()
listener.join()
receiver.close()

print(
    f"{len(packets)} packets of {len(packets[0])} bytes, the parking included; {summary['overruns']} late ticks; {summary['troubles'] or 'no trouble'}"
)
log = jounce.read_log(summary["folder"])
print(f"{log!r}, {log.about['machine']}")
log.plot("platform_p_NP", "platform_legs", file="08_stream.png")
