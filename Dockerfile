# Image of Jounce with all extras; renders on the processor. Build and use:
#   docker build -t jounce .
#   docker run --rm --shm-size 256m -v "$PWD/runs:/data/runs" jounce run double_lane_change
# The image was not built by the developers: its RUN lines were executed as a script in a bare Debian 12 root (debootstrap).
FROM debian:bookworm-slim
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates libegl1 libgl1 libgl1-mesa-dri libxrender1 python3 python3-venv && rm -rf /var/lib/apt/lists/*
COPY . /opt/jounce
RUN python3 -m venv /opt/venv && /opt/venv/bin/pip install --no-cache-dir '/opt/jounce[all]' && /opt/venv/bin/jounce --version
# compiled kernels in the image: the first run does not wait for them
ENV XDG_CACHE_HOME=/opt/cache PATH=/opt/venv/bin:$PATH
RUN /opt/venv/bin/python -c "import jounce; jounce.warm_up()"
WORKDIR /data
ENTRYPOINT ["jounce"]
CMD ["doctor"]
