"""Graph of a mechanism: bodies coupled by loops, and the resulting aggregated bodies [Jain 2016, section 3.1]."""

from __future__ import annotations


def ancestors(parent: list[int], node: int) -> list[int]:
    """Return the node, its parent and so on down to the world (0)."""
    out = [node]
    while out[-1] != 0:
        out.append(parent[out[-1]])
    return out


def path_between(parent: list[int], one: int, other: int) -> set[int]:
    """Return the aggregation subgraph of a cut edge: the smallest subtree that contains both nodes, without its root."""
    a, b = ancestors(parent, one), ancestors(parent, other)
    common = set(a) & set(b)
    return {node for node in (*a, *b) if node not in common}


def aggregate(parent: list[int], closures: list[set[int]]) -> tuple[list[int], list[tuple[list[int], list[int]]]]:
    """Sort a tree into ordinary and aggregated bodies.

    Subgraphs of different cut edges that share a node form one aggregated body. The parent of its nodes is one node outside it, the parent
    of the aggregated body.

    Parameters
    ----------
    parent : parent of each node, with parents before children; node 0 is the world
    closures : for each cut edge the nodes of its subgraph (see `path_between`)

    Returns
    -------
    order : old numbers in the new order, the world first, parents before children, the nodes of an aggregated body consecutive
    groups : for each body of the new tree its nodes (old numbers) and the closures inside it
    """
    leader = list(range(len(parent)))

    def find(node: int) -> int:
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for bound in closures:
        for node in bound:
            leader[find(node)] = find(min(bound))
    members: dict[int, list[int]] = {}
    for node in range(1, len(parent)):
        members.setdefault(find(node), []).append(node)
    inside: dict[int, list[int]] = {}
    for number, bound in enumerate(closures):
        inside.setdefault(find(min(bound)), []).append(number)

    order, groups, placed = [0], [], {0}
    waiting = sorted(members.values(), key=min)
    while waiting:
        later = []
        for nodes in waiting:
            own = set(nodes)
            if all(parent[node] in placed or parent[node] in own for node in nodes):
                order += nodes
                placed |= own
                groups.append((nodes, inside.get(find(nodes[0]), [])))
            else:
                later.append(nodes)
        waiting = later
    return order, groups
