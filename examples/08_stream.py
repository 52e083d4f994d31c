"""Stream two seconds of motion in real time to a local receiver and count the packets. Writes 08_stream.png.

For a real platform, use its address instead. Read the safety section of the README first.
"""

import socket
import threading

import jounce

receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.bind(("127.0.0.1", 0))
receiver.settimeout(0.2)
packets, done = [], threading.Event()


def receive():
    while not done.is_set():
        try:
            packets.append(receiver.recv(2048))
        except TimeoutError:
            continue


listener = threading.Thread(target=receive)
listener.start()
summary = jounce.stream("scripted_drive", to=f"127.0.0.1:{receiver.getsockname()[1]}", rate=250.0, duration=2.0, out="08_stream")
done.set()
listener.join()
receiver.close()

print(
    f"{len(packets)} packets of {len(packets[0])} bytes, parking included; {summary['overruns']} late ticks; {summary['troubles'] or 'no errors'}"
)
log = jounce.read_log(summary["folder"])
print(f"{log!r}, {log.about['machine']}")
log.plot("platform_p_NP", "platform_legs", file="08_stream.png")
